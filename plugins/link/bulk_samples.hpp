// For tests only: what iperf3 3.12 really wrote (-J), captured in network namespaces; without members that nobody reads.
#pragma once

namespace diag::bulk::samples {

// two streams there, 1 Gbit/s shaped: iperf3 3.12, exit 0.
inline constexpr auto healthy =
    R"({"start": {"connected": [{"local_host": "10.99.0.1", "local_port": 50424, "remote_host": "10.99.0.2", "remote_port": 5201},
{"local_host": "10.99.0.1", "local_port": 50428, "remote_host": "10.99.0.2", "remote_port": 5201}], "version": "iperf 3.12",
"connecting_to": {"host": "10.99.0.2", "port": 5201}, "tcp_mss_default": 1448, "target_bitrate": 0, "sock_bufsize": 0,
"sndbuf_actual": 16384, "rcvbuf_actual": 131072, "test_start": {"protocol": "TCP", "num_streams": 2, "blksize": 131072, "omit": 0,
"duration": 2, "bytes": 0, "blocks": 0, "reverse": 0, "tos": 0, "target_bitrate": 0}}, "intervals": [{"streams": [{"start": 0,
"end": 1.000061, "seconds": 1.000061, "bytes": 61918736, "bits_per_second": 495319656.087397, "retransmits": 0, "snd_cwnd": 289600,
"rtt": 2207, "pmtu": 1500, "omitted": false, "sender": true}, {"start": 0, "end": 1.000068, "seconds": 1.000068, "bytes": 61006496,
"bits_per_second": 488018807.466065, "retransmits": 0, "snd_cwnd": 295392, "rtt": 2205, "pmtu": 1500, "omitted": false,
"sender": true}], "sum": {"start": 0, "end": 1.000061, "seconds": 1.000061, "bytes": 122925232, "bits_per_second": 983341837.577296,
"retransmits": 0, "omitted": false, "sender": true}}, {"streams": [{"start": 1.000061, "end": 2.000093, "seconds": 1.000032,
"bytes": 61380720, "bits_per_second": 491030072.527247, "retransmits": 0, "snd_cwnd": 266432, "rtt": 2179, "pmtu": 1500,
"omitted": false, "sender": true}, {"start": 1.000068, "end": 2.000106, "seconds": 1.000038, "bytes": 60729120,
"bits_per_second": 485814485.561703, "retransmits": 0, "snd_cwnd": 434400, "rtt": 2178, "pmtu": 1500, "omitted": false,
"sender": true}], "sum": {"start": 1.000061, "end": 2.000093, "seconds": 1.000032, "bytes": 122109840,
"bits_per_second": 976847511.588175, "retransmits": 0, "omitted": false, "sender": true}}], "end": {"streams": [{"sender": {"start": 0,
"end": 2.000093, "seconds": 2.000093, "bytes": 123299456, "bits_per_second": 493174891.367551, "retransmits": 0, "max_snd_cwnd": 289600,
"max_rtt": 2207, "min_rtt": 2179, "mean_rtt": 2193, "sender": true}, "receiver": {"start": 0, "end": 2.00972, "seconds": 2.000093,
"bytes": 120627896, "bits_per_second": 480177919.312143, "sender": true}}, {"sender": {"start": 0, "end": 2.000093, "seconds": 2.000093,
"bytes": 121735616, "bits_per_second": 486919822.228266, "retransmits": 0, "max_snd_cwnd": 434400, "max_rtt": 2205, "min_rtt": 2178,
"mean_rtt": 2191, "sender": true}, "receiver": {"start": 0, "end": 2.00972, "seconds": 2.000093, "bytes": 118880160,
"bits_per_second": 473220786.9753, "sender": true}}], "sum_sent": {"start": 0, "end": 2.000093, "seconds": 2.000093, "bytes": 245035072,
"bits_per_second": 980094713.595818, "retransmits": 0, "sender": true}, "sum_received": {"start": 0, "end": 2.00972, "seconds": 2.00972,
"bytes": 239508056, "bits_per_second": 953398706.287443, "sender": true}, "cpu_utilization_percent": {"host_total": 2.044833,
"host_user": 0.193064, "host_system": 1.85167, "remote_total": 5.078741, "remote_user": 0.778356, "remote_system": 4.300386},
"sender_tcp_congestion": "bbr", "receiver_tcp_congestion": "bbr"}})";

// the same, back.
inline constexpr auto healthy_reverse =
    R"({"start": {"connected": [{"local_host": "10.99.0.1", "local_port": 50438, "remote_host": "10.99.0.2", "remote_port": 5201},
{"local_host": "10.99.0.1", "local_port": 50454, "remote_host": "10.99.0.2", "remote_port": 5201}], "version": "iperf 3.12",
"connecting_to": {"host": "10.99.0.2", "port": 5201}, "tcp_mss_default": 1448, "target_bitrate": 0, "sock_bufsize": 0,
"sndbuf_actual": 16384, "rcvbuf_actual": 131072, "test_start": {"protocol": "TCP", "num_streams": 2, "blksize": 131072, "omit": 0,
"duration": 2, "bytes": 0, "blocks": 0, "reverse": 1, "tos": 0, "target_bitrate": 0}}, "intervals": [{"streams": [{"start": 0,
"end": 1.000065, "seconds": 1.000065, "bytes": 62307528, "bits_per_second": 498427841.610255, "omitted": false, "sender": false},
{"start": 0, "end": 1.000069, "seconds": 1.000069, "bytes": 56978888, "bits_per_second": 455799643.715563, "omitted": false,
"sender": false}], "sum": {"start": 0, "end": 1.000065, "seconds": 1.000065, "bytes": 119286416, "bits_per_second": 954229332.614559,
"omitted": false, "sender": false}}, {"streams": [{"start": 1.000065, "end": 2.000069, "seconds": 1.000004, "bytes": 59527280,
"bits_per_second": 476216309.840129, "omitted": false, "sender": false}, {"start": 1.000069, "end": 2.000072, "seconds": 1.000003,
"bytes": 59808192, "bits_per_second": 478464110.065834, "omitted": false, "sender": false}], "sum": {"start": 1.000065, "end": 2.000069,
"seconds": 1.000004, "bytes": 119335472, "bits_per_second": 954679906.571744, "omitted": false, "sender": false}}],
"end": {"streams": [{"sender": {"start": 0, "end": 2.000338, "seconds": 2.000338, "bytes": 124780544,
"bits_per_second": 499037838.605276, "retransmits": 0, "max_snd_cwnd": 0, "max_rtt": 0, "min_rtt": 0, "mean_rtt": 0, "sender": false},
"receiver": {"start": 0, "end": 2.000069, "seconds": 2.000069, "bytes": 121834808, "bits_per_second": 487322419.376532,
"sender": false}}, {"sender": {"start": 0, "end": 2.000338, "seconds": 2.000338, "bytes": 119406592, "bits_per_second": 477545662.78299,
"retransmits": 0, "max_snd_cwnd": 0, "max_rtt": 0, "min_rtt": 0, "mean_rtt": 0, "sender": false}, "receiver": {"start": 0,
"end": 2.000069, "seconds": 2.000069, "bytes": 116787080, "bits_per_second": 467132203.938964, "sender": false}}],
"sum_sent": {"start": 0, "end": 2.000338, "seconds": 2.000338, "bytes": 244187136, "bits_per_second": 976583501.388265,
"retransmits": 0, "sender": false}, "sum_received": {"start": 0, "end": 2.000069, "seconds": 2.000069, "bytes": 238621888,
"bits_per_second": 954454623.315496, "sender": false}, "cpu_utilization_percent": {"host_total": 5.609521, "host_user": 0.358115,
"host_system": 5.251357, "remote_total": 1.955049, "remote_user": 0.066888, "remote_system": 1.888111}, "sender_tcp_congestion": "bbr",
"receiver_tcp_congestion": "bbr"}})";

// no server: exit 0.
inline constexpr auto refused = R"({"start": {"connected": [], "version": "iperf 3.12"}, "intervals": [], "end": {},
"error": "unable to connect to server: Connection refused"})";

// no route: exit 0.
inline constexpr auto unroutable = R"({"start": {"connected": [], "version": "iperf 3.12"}, "intervals": [], "end": {},
"error": "unable to connect to server: Network is unreachable"})";

// nobody has the address: exit 0.
inline constexpr auto unanswered = R"({"start": {"connected": [], "version": "iperf 3.12"}, "intervals": [], "end": {},
"error": "unable to connect to server: Connection timed out"})";

// a second client: exit 0.
inline constexpr auto busy = R"({"start": {"connected": [], "version": "iperf 3.12"}, "intervals": [], "end": {},
"error": "the server is busy running a test. try again later"})";

// server killed in the middle: exit 0, `end` empty, the last interval twice.
inline constexpr auto killed =
    R"({"start": {"connected": [{"local_host": "10.99.0.1", "local_port": 46308, "remote_host": "10.99.0.2", "remote_port": 5201}],
"version": "iperf 3.12", "connecting_to": {"host": "10.99.0.2", "port": 5201}, "tcp_mss_default": 1448, "target_bitrate": 0,
"sock_bufsize": 0, "sndbuf_actual": 16384, "rcvbuf_actual": 131072, "test_start": {"protocol": "TCP", "num_streams": 1,
"blksize": 131072, "omit": 0, "duration": 4, "bytes": 0, "blocks": 0, "reverse": 0, "tos": 0, "target_bitrate": 0}},
"intervals": [{"streams": [{"start": 0, "end": 1.000066, "seconds": 1.000066, "bytes": 121021992, "bits_per_second": 968111999.999176,
"retransmits": 0, "snd_cwnd": 266432, "rtt": 1112, "pmtu": 1500, "omitted": false, "sender": true}], "sum": {"start": 0,
"end": 1.000066, "seconds": 1.000066, "bytes": 121021992, "bits_per_second": 968111999.999176, "retransmits": 0, "omitted": false,
"sender": true}}, {"streams": [{"start": 0, "end": 1.000066, "seconds": 1.000066, "bytes": 121021992,
"bits_per_second": 968111999.999176, "retransmits": 0, "snd_cwnd": 266432, "rtt": 1112, "pmtu": 1500, "omitted": false,
"sender": true}], "sum": {"start": 0, "end": 1.000066, "seconds": 1.000066, "bytes": 121021992, "bits_per_second": 968111999.999176,
"retransmits": 0, "omitted": false, "sender": true}}], "end": {}, "error": "unable to write to stream socket: Broken pipe"})";

// the same, back.
inline constexpr auto killed_reverse =
    R"({"start": {"connected": [{"local_host": "10.99.0.1", "local_port": 46326, "remote_host": "10.99.0.2", "remote_port": 5201}],
"version": "iperf 3.12", "connecting_to": {"host": "10.99.0.2", "port": 5201}, "tcp_mss_default": 1448, "target_bitrate": 0,
"sock_bufsize": 0, "sndbuf_actual": 16384, "rcvbuf_actual": 131072, "test_start": {"protocol": "TCP", "num_streams": 1,
"blksize": 131072, "omit": 0, "duration": 4, "bytes": 0, "blocks": 0, "reverse": 1, "tos": 0, "target_bitrate": 0}},
"intervals": [{"streams": [{"start": 0, "end": 1.000007, "seconds": 1.000007, "bytes": 119425360, "bits_per_second": 955396160.366246,
"omitted": false, "sender": false}], "sum": {"start": 0, "end": 1.000007, "seconds": 1.000007, "bytes": 119425360,
"bits_per_second": 955396160.366246, "omitted": false, "sender": false}}, {"streams": [{"start": 0, "end": 1.000007,
"seconds": 1.000007, "bytes": 119425360, "bits_per_second": 955396160.366246, "omitted": false, "sender": false}], "sum": {"start": 0,
"end": 1.000007, "seconds": 1.000007, "bytes": 119425360, "bits_per_second": 955396160.366246, "omitted": false, "sender": false}}],
"end": {}, "error": "control socket has closed unexpectedly"})";

// link cut after a second; did not end for a minute, then SIGTERM.
inline constexpr auto hanging =
    R"({"start": {"connected": [{"local_host": "10.99.0.1", "local_port": 46348, "remote_host": "10.99.0.2", "remote_port": 5201}],
"version": "iperf 3.12", "connecting_to": {"host": "10.99.0.2", "port": 5201}, "tcp_mss_default": 1448, "target_bitrate": 0,
"sock_bufsize": 0, "sndbuf_actual": 16384, "rcvbuf_actual": 131072, "test_start": {"protocol": "TCP", "num_streams": 1,
"blksize": 131072, "omit": 0, "duration": 3, "bytes": 0, "blocks": 0, "reverse": 0, "tos": 0, "target_bitrate": 0}},
"intervals": [{"streams": [{"start": 0, "end": 1.00272, "seconds": 1.00272, "bytes": 120431400, "bits_per_second": 960837722.969604,
"retransmits": 0, "snd_cwnd": 457568, "rtt": 1168, "pmtu": 1500, "omitted": false, "sender": true}], "sum": {"start": 0, "end": 1.00272,
"seconds": 1.00272, "bytes": 120431400, "bits_per_second": 960837722.969604, "retransmits": 0, "omitted": false, "sender": true}},
{"streams": [{"start": 1.00272, "end": 2.000793, "seconds": 0.998073, "bytes": 0, "bits_per_second": 0, "retransmits": 1,
"snd_cwnd": 1448, "rtt": 1168, "pmtu": 1500, "omitted": false, "sender": true}], "sum": {"start": 1.00272, "end": 2.000793,
"seconds": 0.998073, "bytes": 0, "bits_per_second": 0, "retransmits": 1, "omitted": false, "sender": true}},
{"streams": [{"start": 3.000575, "end": 59.992213, "seconds": 56.991638, "bytes": 0, "bits_per_second": 0, "retransmits": 19,
"snd_cwnd": 1448, "rtt": 1168, "pmtu": 1500, "omitted": false, "sender": true}], "sum": {"start": 3.000575, "end": 59.992213,
"seconds": 56.991638, "bytes": 0, "bits_per_second": 0, "retransmits": 19, "omitted": false, "sender": true}}],
"end": {"streams": [{"sender": {"start": 0, "end": 59.992213, "seconds": 59.992213, "bytes": 120431400,
"bits_per_second": 16059604.268974, "retransmits": 20, "max_snd_cwnd": 457568, "max_rtt": 1168, "min_rtt": 1168, "mean_rtt": 1168,
"sender": true}, "receiver": {"start": 0, "end": 59.992213, "seconds": 59.992213, "bytes": 0, "bits_per_second": 0, "sender": true}}],
"sum_sent": {"start": 0, "end": 59.992213, "seconds": 59.992213, "bytes": 120431400, "bits_per_second": 16059604.268974,
"retransmits": 20, "sender": true}, "sum_received": {"start": 0, "end": 59.992213, "seconds": 59.992213, "bytes": 0,
"bits_per_second": 0, "sender": true}, "cpu_utilization_percent": {"host_total": 62.650999, "host_user": 18.007512,
"host_system": 44.643487, "remote_total": 0, "remote_user": 0, "remote_system": 0}, "sender_tcp_congestion": "bbr"},
"error": "interrupt - the client has terminated"})";

}  // namespace diag::bulk::samples
