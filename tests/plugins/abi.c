/* A plugin in plain C, without the kit.  VARIANT_... chooses what is wrong with it. */
#include <diag/abi.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CATALOGUE(name, about)                                                                          \
    "{\"plugin\":\"" name "\",\"about\":\"" about "\",\"checks\":[{\"name\":\"answer\",\"title\":\"It answers\"," \
    "\"params\":[],\"causes\":[],\"needs\":[],\"exclusive\":false,\"side_by_side\":false,\"reusable_while\":[]," \
    "\"takes\":{\"seconds\":1,\"per\":{}}}]}"

#if defined(VARIANT_UNRESOLVED)
extern int a_function_that_no_library_has(void);
#endif

static const char* describe(void) {
#if defined(VARIANT_DESCRIBE_CRASH)
    abort();
#elif defined(VARIANT_DESCRIBE_HANG)
    while (pause() != 0) {} /* it never returns 0 */
    return NULL;
#elif defined(VARIANT_DESCRIBE_GARBAGE)
    return "{\"plugin\": [\x1b\xff";
#elif defined(VARIANT_DESCRIBE_NULL)
    return NULL;
#elif defined(VARIANT_DESCRIBE_EXIT)
    exit(0);
#elif defined(VARIANT_UNRESOLVED)
    return a_function_that_no_library_has() ? "" : NULL;
#elif defined(VARIANT_TWIN_A)
    return CATALOGUE("twin", "the first");
#elif defined(VARIANT_TWIN_B)
    return CATALOGUE("twin", "the second");
#elif defined(VARIANT_EDGE)
    return CATALOGUE("edge", "as old as can be");
#elif defined(VARIANT_LARGER)
    return CATALOGUE("larger", "of a later kit");
#else
    return CATALOGUE("good", "a good one");
#endif
}

static int run(const char* request, int channel) {
    static const char verdict[] = "{\"event\":\"verdict\",\"outcome\":\"pass\",\"cause\":\"\",\"reason\":\"it answered\"}\n";
    (void)request;
    return write(channel, verdict, sizeof verdict - 1) == (ssize_t)(sizeof verdict - 1) ? 0 : 1;
}

#if defined(VARIANT_MAGIC)
#define MAGIC "DIAGPLX"
#else
#define MAGIC DIAG_ABI_MAGIC
#endif
#if defined(VARIANT_NEWER)
#define VERSION 2u
#elif defined(VARIANT_VERSION_ZERO)
#define VERSION 0u
#else
#define VERSION DIAG_ABI_VERSION
#endif
#if defined(VARIANT_SMALL)
#define SIZE 24u
#elif defined(VARIANT_LARGER)
#define SIZE 4096u
#else
#define SIZE 32u
#endif

#if defined(VARIANT_EDGE) || defined(VARIANT_MAGIC) || defined(VARIANT_NEWER) || defined(VARIANT_SMALL)
/* A copy whose last byte that may be read is the last of a page: reading behind it crashes. */
static const struct diag_abi* at_the_edge(const struct diag_abi* abi, size_t readable) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char* pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0) return NULL;
    return memcpy(pages + page - readable, abi, readable);
}
#endif

#if defined(VARIANT_NO_SYMBOL)
#define diag_plugin_v1 a_function_of_some_other_library
#endif
const struct diag_abi* diag_plugin_v1(void);
const struct diag_abi* diag_plugin_v1(void) {
    static const struct diag_abi abi = {MAGIC, VERSION, SIZE, describe, run};
#if defined(VARIANT_NO_ENTRY)
    return (void)abi, NULL;
#elif defined(VARIANT_MAGIC)
    return at_the_edge(&abi, 8);  /* nothing behind a wrong magic may be read */
#elif defined(VARIANT_NEWER)
    return at_the_edge(&abi, 16); /* nor behind a wrong version */
#elif defined(VARIANT_SMALL)
    return at_the_edge(&abi, 16); /* nor behind a wrong size */
#elif defined(VARIANT_EDGE)
    return at_the_edge(&abi, 32); /* nor behind the size that it has */
#else
    return &abi;
#endif
}
