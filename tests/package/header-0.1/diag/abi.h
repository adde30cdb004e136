/* The one thing that crosses the boundary of a check plugin: a C struct, found by one symbol.
 * Everything else is JSON, so a plugin built by another compiler, or years ago, still loads.
 * The struct is append-only: `magic`, `version` and `size` never move, and `size` is read before
 * any field behind it.  docs/writing-a-plugin.md gives the JSON. */
#ifndef DIAG_ABI_H
#define DIAG_ABI_H

#define DIAG_ABI_MAGIC "DIAGPLG"
#define DIAG_ABI_VERSION 1u
#define DIAG_ABI_SYMBOL "diag_plugin_v1"

#ifdef __cplusplus
extern "C" {
#endif

struct diag_abi {
    char magic[8];          /* DIAG_ABI_MAGIC and its NUL */
    unsigned version, size; /* as the plugin's compiler saw them */

    /* The catalogue as UTF-8 JSON; owned by the plugin, valid until it is unloaded. */
    const char* (*describe)(void);

    /* Runs one check.  `request` is UTF-8 JSON; `channel` is an open socket that carries JSON lines
     * both ways.  Called once per process, on its only thread.  Returns 0 when a verdict was sent. */
    int (*run)(const char* request, int channel);
};

#ifdef __cplusplus
}
#endif

#endif
