// A whole plugin, to copy: one check, one look.  It asks whether this machine has the huge pages that were planned.
#include <diag/plugin.hpp>

#include <charconv>

#include <probe/files.hpp>

using namespace diag;

namespace {

// The number behind "NAME:" in /proc/meminfo (proc(5)).  Throws Absent where this kernel has no such line.
std::int64_t meminfo(const std::filesystem::path& root, const std::string& name) {
    const std::string text = probe::read_text(root, "/proc/meminfo");
    const auto line = text.find(name + ":");
    if (line == std::string::npos) throw Absent("/proc/meminfo has no " + name + ": this kernel has no huge pages");
    const auto digits = text.find_first_of("0123456789\n", line);
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data() + digits, text.data() + text.size(), value);
    if (read.ec != std::errc{}) throw Unreadable("/proc/meminfo: " + name + " is no number");
    return value;
}

Verdict reserved(Context& c) {
    const auto total = meminfo(c.root(), "HugePages_Total");
    c.asked("how many huge pages this machine has reserved");
    if (!c.measure("total", static_cast<double>(total), unit::count, at_least(static_cast<double>(c.integer("pages")))))
        return fail("hugepages.too-few", "{} huge pages are reserved, {} are planned", total, c.integer("pages")).with("have", total);
    return pass("{} huge pages are reserved", total);
}

void look_at(Look& look) {
    const auto total = meminfo(look.root(), "HugePages_Total"), free = meminfo(look.root(), "HugePages_Free");
    look.see("machine", "", {{"huge pages", fmt::format("{}, {} free", total, free), total}});
}

}  // namespace

DIAG_PLUGIN("hugepages") {
    about("Huge pages of this machine.");
    check("reserved", "The planned huge pages are reserved", reserved)
        .param("pages", type::integer, "how many are planned")
        .within(1, 1e9)
        .cause("hugepages.absent", mover::software, "This kernel has no huge pages.", "boot a kernel with CONFIG_HUGETLBFS")
        .cause("hugepages.too-few", mover::configuration, "Fewer huge pages are reserved than planned.",
               "sysctl vm.nr_hugepages={pages}, and the same line in /etc/sysctl.d")
        .on_absent("hugepages.absent");
    look(look_at);
}
