// The lab alone, for its own tests: the arguments of `diag lab`.
#include "lab/lab.hpp"

int main(int argc, char** argv) { return diag::lab::main({argv + 1, argv + argc}, {argv[0]}); }
