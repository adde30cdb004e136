// Whether what was printed has arrived: a full disk behind stdout is found out when the last of it is written.
#pragma once

namespace diag::cli {

// Writes out what stdout still holds.  False, told once on stderr, where any of it could not be written.  A reader that has gone (head)
// has had what it wanted: true.
bool output_arrived();

// Gives this process whichever of the descriptors 0 to 2 it was started without: the next file would else become its stdout.
void require_standard_streams();

}  // namespace diag::cli
