// What the record throws.  Every message is for a person: which path, what is wrong, what to do.
#pragma once

#include <stdexcept>
#include <string>

#include <sys/types.h>

namespace diag::record {

struct RecordError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The journal cannot be read, is damaged, has a newer format, or a line could not be brought to the disk.
struct JournalError : RecordError {
    using RecordError::RecordError;
};

// Another process holds the record.
struct RecordBusy : RecordError {
    RecordBusy(const std::string& message, pid_t holder_pid) : RecordError(message), holder(holder_pid) {}
    pid_t holder;  // 0 where it could not be read
};

// The record's size cap is reached: this evidence was not kept, the journal still takes lines.
struct RecordFull : RecordError {
    using RecordError::RecordError;
};

}  // namespace diag::record
