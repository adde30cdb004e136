// For tests: the log of `ssh -v` up to each step of a login, as OpenSSH 9.2 wrote it (lines that nobody reads left out).
#pragma once

#include <string>

namespace diag::ssh::captured {

inline const std::string version = "OpenSSH_9.2p1 Debian-2+deb12u10, OpenSSL 3.0.19 27 Jan 2026\r\n";
inline const std::string connecting = version + "debug1: Connecting to node-b [10.0.0.2] port 22.\r\n";
inline const std::string connected = connecting +
                                     "debug1: Connection established.\r\ndebug1: identity file /home/ops/.ssh/id_ed25519 type 3\r\n"
                                     "debug1: Local version string SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u10\r\n";
inline const std::string greeted = connected +
                                   "debug1: Remote protocol version 2.0, remote software version OpenSSH_9.2p1 Debian-2+deb12u10\r\n"
                                   "debug1: Authenticating to node-b:22 as 'ops'\r\ndebug1: SSH2_MSG_KEXINIT sent\r\n";
inline const std::string proven = greeted +
                                  "debug1: SSH2_MSG_KEXINIT received\r\ndebug1: expecting SSH2_MSG_KEX_ECDH_REPLY\r\n"
                                  "debug1: SSH2_MSG_KEX_ECDH_REPLY received\r\n"
                                  "debug1: Server host key: ssh-ed25519 SHA256:1VBx5kRfRUYiY2YzMHK6GICQsqj7WbzQB2rnntPUnz8\r\n";
inline const std::string encrypted = proven +
                                     "debug1: Host 'node-b' is known and matches the ED25519 host key.\r\n"
                                     "debug1: SSH2_MSG_NEWKEYS sent\r\ndebug1: SSH2_MSG_NEWKEYS received\r\n"
                                     "debug1: SSH2_MSG_SERVICE_ACCEPT received\r\n";
inline const std::string asked = encrypted +
                                 "debug1: Authentications that can continue: publickey\r\n"
                                 "debug1: Next authentication method: publickey\r\n";
inline const std::string offered = asked + "debug1: Offering public key: /home/ops/.ssh/id_ed25519 ED25519 SHA256:XQcl explicit\r\n";
inline const std::string accepted = offered + "debug1: Server accepts key: /home/ops/.ssh/id_ed25519 ED25519 SHA256:XQcl explicit\r\n";
inline const std::string denied = "debug1: No more authentication methods to try.\r\nops@node-b: Permission denied (publickey).\r\n";
inline const std::string authenticated = accepted +
                                         "Authenticated to node-b ([10.0.0.2]:22) using \"publickey\".\r\n"
                                         "debug1: channel 0: new session [client-session] (inactive timeout: 0)\r\n"
                                         "debug1: Entering interactive session.\r\n";
inline const std::string key_options =
    "debug1: Remote: /home/ops/.ssh/authorized_keys:1: key options: agent-forwarding port-forwarding pty\r\n";
inline const std::string running = authenticated + key_options + "debug1: Sending command: cat\r\n";

inline std::string ended(int status) {
    return "Transferred: sent 3500, received 3340 bytes, in 0.2 seconds\r\nBytes per second: sent 18003.4, received 17180.4\r\n"
           "debug1: Exit status " +
           std::to_string(status) + "\r\n";
}

inline const std::string changed =
    "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\r\n"
    "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\n"
    "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\r\n"
    "Add correct host key in /home/ops/.ssh/known_hosts to get rid of this message.\r\n"
    "Offending ED25519 key in /home/ops/.ssh/known_hosts:17\r\n"
    "  remove with:\r\n"
    "  ssh-keygen -f \"/home/ops/.ssh/known_hosts\" -R \"node-b\"\r\n"
    "Host key for node-b has changed and you have requested strict checking.\r\nHost key verification failed.\r\n";

}  // namespace diag::ssh::captured
