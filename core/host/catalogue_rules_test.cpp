#include <functional>

#include "catch.hpp"
#include "host/catalogue.hpp"

using namespace diag;
using namespace diag::host;

namespace {

json a_disk() {
    return json::parse(R"({"plugin":"my_disk","about":"Disks.","checks":[{"name":"space","title":"It has room",
      "params":[{"name":"free","type":"fraction","help":"least","when_missing":"default","default":0.1},
                {"name":"wait","type":"duration","help":"at most","when_missing":"default","default":5},
                {"name":"path","type":"text","help":"where","when_missing":"required","default":null}],
      "causes":[{"code":"my_disk.full","mover":"owner","meaning":"It is full.","remedy":"empty it"}],
      "needs":[],"exclusive":false,"side_by_side":false,"reusable_while":[],"takes":{"seconds":1,"per":{}}}]})");
}

std::string told(const std::function<void(json& document, json& check)>& spoil) {
    json document = a_disk();
    spoil(document, document["checks"][0]);
    try {
        read_catalogue(document.dump());
        return "accepted";
    } catch (const BadCatalogue& e) {
        return e.what();
    }
}

json second_check(json check, const char* meaning) {
    check["name"] = "inodes";
    check["causes"][0]["meaning"] = meaning;
    return check;
}

}  // namespace

TEST_CASE("a default is held to its type and to its own bounds") {
    const auto with = [](int param, const json& fallback, const json& bounds = json::object()) {
        return told([&](json&, json& check) {
            check["params"][param]["default"] = fallback;
            check["params"][param].update(bounds);
        });
    };
    CHECK(with(0, 1) == "accepted");
    CHECK(with(0, 20) == "check 'space': parameter 'free': its default, 20, is not of type fraction, which goes from 0 to 1");
    CHECK_THAT(with(1, -1), ContainsSubstring("parameter 'wait': its default, -1, is not of type duration"));
    CHECK_THAT(with(1, nullptr), ContainsSubstring("its default, null, is not of type duration"));
    CHECK(with(1, 10, {{"min", 10}, {"max", 20}}) == "accepted");
    CHECK(with(1, 5, {{"min", 10}, {"max", 20}}) ==
          "check 'space': parameter 'wait': its default, 5, is outside its own bounds, 10 s to 20 s");
    CHECK_THAT(with(1, 15, {{"min", 20}, {"max", 10}}), ContainsSubstring("parameter 'wait': no value lies within 20 and 10"));
}

TEST_CASE("a cause is its plugin's own, by its name and by its meaning") {
    const auto coded = [](const char* code) { return told([&](json&, json& check) { check["causes"][0]["code"] = code; }); };
    CHECK(coded("my_disk.other") == "accepted");
    for (const char* code : {"worker.deadline", "worker.mine", "disk.full", "my_disks.full"})
        CHECK_THAT(coded(code), ContainsSubstring("a cause begins with its plugin's name: my_disk.what"));
    for (const char* name : {"worker", "peer", "plugin", "machine"})
        CHECK_THAT(told([&](json& d, json&) { d["plugin"] = name; }), ContainsSubstring("that name is diag's own"));
    CHECK(told([](json& d, json& c) { d["checks"].push_back(second_check(c, "It is full.")); }) == "accepted");
    CHECK(told([](json& d, json& c) { d["checks"].push_back(second_check(c, "It is slow.")); }) ==
          "check 'inodes': cause 'my_disk.full': it means something else in check 'space'");
    CHECK_THAT(told([](json& d, json& c) {
                   d["look"] = second_check(c, "It is slow.");
                   d["look"]["name"] = "look";
               }),
               ContainsSubstring("check 'look': cause 'my_disk.full': it means something else"));
}

TEST_CASE("what is absent or unreadable stands for a cause that is declared") {
    for (const char* key : {"on_absent", "on_unreadable"}) {
        CHECK(told([&](json&, json& check) { check[key] = "my_disk.full"; }) == "accepted");
        CHECK(told([&](json&, json& check) { check[key] = "my_disk.gone"; }) ==
              std::string("check 'space': ") + key + ": it declares no cause 'my_disk.gone'");
    }
}

TEST_CASE("a need is a word that diag knows") {
    const auto needs = [](const char* need) { return told([&](json&, json& check) { check["needs"] = {need}; }); };
    for (const char* need : {"root", "icmp", "net_admin", "net_raw", "program:iperf3", "program:chronyc=chrony", "program:g++-12"})
        CHECK(needs(need) == "accepted");
    CHECK(needs("net-admin") ==
          "check 'space': it needs 'net-admin'; did you mean 'net_admin'?; there are root, icmp, net_admin, net_raw, "
          "program:NAME and program:NAME=PACKAGE");
    for (const char* need :
         {"program:", "program:a b", "program:/bin/sh", "program:chronyc=", "program:=chrony", "programm:sh", "program:-x", ""})
        CHECK_THAT(needs(need), ContainsSubstring("there are root, icmp"));
}

TEST_CASE("a column's source that is misspelt is no text that stands as it is") {
    const auto from = [](const char* source) {
        return told([&](json&, json& check) { check["columns"] = {{{"title", "C"}, {"from", source}}}; });
    };
    for (const char* source : {"measured.x", "param.free", "fact.x", "TCP", "802.3ad", "see measurd.x"}) CHECK(from(source) == "accepted");
    CHECK_THAT(from("measurd.x"), ContainsSubstring("'C' is filled from 'measurd.x'; did you mean 'measured'?"));
}

TEST_CASE("what must be alone on a machine does not run beside others of its kind") {
    const auto both = [](bool alone, bool beside) {
        return told([&](json&, json& check) { check["exclusive"] = alone, check["side_by_side"] = beside; });
    };
    CHECK(both(true, false) == "accepted");
    CHECK(both(false, true) == "accepted");
    CHECK_THAT(both(true, true), ContainsSubstring("cannot run side by side"));
}
