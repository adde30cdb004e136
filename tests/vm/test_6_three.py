"""Three machines on one switch: a fault of one of them, and the contrast to the other."""
import unittest

import cluster


@unittest.skipUnless(cluster.LONG, "the slow part: ./run-tests --long")
class Three(cluster.VmTest):
    count = 3

    def test_one_of_two_peers_behind_a_port_that_drops_jumbo_frames(self):
        whole = self.healthy(self.a)
        self.assertEqual([len(c["rows"]) for c in whole["checkpoints"]], [4, 2, 4, 12, 12, 0])
        self.lab.port_mtu("direct", "c", 1500)
        document, status = self.bringup(self.a)
        self.assertEqual(status, 2, self.told(document))
        mtu = next(c for c in document["checkpoints"] if c["id"] == "mtu")
        self.assertEqual({row["row"] for row in mtu["rows"] if row["outcome"] != "pass"},
                         {f"direct: node-{here} -> node-{there}" for here, there in ("ac", "ca", "bc", "cb")})
