// A host for the test that kills it: runs one check and waits.   doomed_host WORKER FOLDER CHECK
#include <cstdio>

#include "host/worker_client.hpp"

int main(int argc, char** argv) {
    if (argc != 4) return 64;
    diag::host::WorkerClient client({argv[1], "--here"});
    const auto catalogue = client.load({argv[2]});
    const auto* check = catalogue.check(argv[3]);
    if (check == nullptr) return 1;
    diag::host::RunOptions options;
    options.timeout = 60;
    client.run(*check, catalogue.plugin_of(argv[3])->file, diag::json::object(), options, [](const std::string& line) {
        std::puts(line.c_str());
        std::fflush(stdout);
    });
    return 0;
}
