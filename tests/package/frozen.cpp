// A plugin as somebody built it with the kit of 0.1 (header-0.1 beside this file): kept as it is.
#include <diag/plugin.hpp>

using namespace diag;

static Verdict word(Context& c) {
    c.asked("the word");
    c.evidence("word", c.text("word") + "\n");
    if (!c.measure("letters", static_cast<double>(c.text("word").size()), unit::count, at_least(4)))
        return fail("frozen.other", "the word is '{}'", c.text("word")).with("got", c.text("word"));
    return pass("the word is good");
}

DIAG_PLUGIN("frozen") {
    about("Built with the kit of 0.1.");
    check("word", "The word is long enough", word)
        .param("word", type::text, "a word", "good")
        .optional("limit", type::fraction, "not used")
        .within(0, 1)
        .cause("frozen.other", mover::owner, "The word is too short.", "say another word than {got}")
        .reusable_while({"letters"}, [](Context& c) { c.fact("letters", c.text("word").size()); });
    look([](Look& l) { l.see("machine", "", {{"kit", "since 0.1", {}}}); });
}
