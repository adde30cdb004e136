#include "probe/pcie.hpp"

#include "catch.hpp"
#include "probe/testing_tree.hpp"

using namespace diag::probe;
using diag::probe::testing::Tree;

static void step(Tree& tree, const std::string& folder, const std::string& speed, const std::string& width, const std::string& most_speed,
                 const std::string& most_width) {
    tree.file(folder + "/current_link_speed", speed);
    tree.file(folder + "/current_link_width", width);
    tree.file(folder + "/max_link_speed", most_speed);
    tree.file(folder + "/max_link_width", most_width);
}

const std::string root_port = "/sys/devices/pci0000:00/0000:00:01.0", device = root_port + "/0000:01:00.0";

TEST_CASE("both sides of a link are read, and the one that could do more is known") {
    Tree tree;
    step(tree, root_port, "32.0 GT/s PCIe", "2", "32.0 GT/s PCIe", "2");
    step(tree, device, "32.0 GT/s PCIe", "2", "32.0 GT/s PCIe", "4");
    const auto path = pcie_path(tree.root(), device);
    REQUIRE(path.size() == 2);
    CHECK(path[0].function == "0000:00:01.0");
    CHECK(path[1].now.text() == "32 GT/s x2");
    CHECK(path[1].most.text() == "32 GT/s x4");
    CHECK(path[0].most.lanes == 2);
}

TEST_CASE("the line code is taken off: Gen3 x8 carries 63 Gbit/s, Gen1 x1 carries 2") {
    CHECK(PcieSpeed{8, 8}.rate().bits_per_second / 1'000'000'000 == 63);
    CHECK(PcieSpeed{2.5, 1}.rate().bits_per_second == 2'000'000'000);
    CHECK(PcieSpeed{32, 4}.rate().bits_per_second / 1'000'000'000 == 126);
    CHECK(PcieSpeed{64, 16}.rate().bits_per_second / 1'000'000'000 == 968);
}

TEST_CASE("a function that does not say, or says unknown, has no path; a USB4 bridge above one is left out with all above it") {
    Tree tree;
    step(tree, root_port, "2.5 GT/s PCIe", "1", "2.5 GT/s PCIe", "1");
    CHECK(pcie_path(tree.root(), device).empty());
    step(tree, device, "Unknown", "4", "8.0 GT/s PCIe", "4");
    CHECK(pcie_path(tree.root(), device).empty());
    step(tree, device, "8.0 GT/s PCIe", "4", "8.0 GT/s PCIe", "4");
    CHECK(pcie_path(tree.root(), device).size() == 1);
    step(tree, device, "2.5 GT/s PCIe", "1", "8.0 GT/s PCIe", "4");  // a tunnel's lanes, not the device's
    CHECK(pcie_path(tree.root(), device).empty());
    step(tree, device, "8.0 GT/s PCIe", "4", "8.0 GT/s PCIe", "255");
    CHECK(pcie_path(tree.root(), device).empty());
    CHECK(pcie_path(tree.root(), "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1").empty());
}
