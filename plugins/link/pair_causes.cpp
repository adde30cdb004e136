#include "pair_causes.hpp"

#include "link.hpp"

namespace diag::link {

void declare_pair_causes(Check& check) {
    declare_mac_twice(check);
    check
        .cause("link.end-absent", mover::configuration, "No interface of this name is at that end.",
               "on {machine}: ip -br link; correct the name in the site file, or enable the adapter (some are on the bus only while a "
               "cable is plugged in)")
        .cause("link.end-down", mover::configuration, "An end of the link is switched off.",
               "on {machine}: ip link set {interface} up; and have the network configuration do it at boot")
        .cause("link.end-no-carrier", mover::owner, "The ends are switched on, and at least one hears nothing on the wire.",
               "plug the cable in at both ends; then on {machine}: ethtool {interface}")
        .cause("link.end-address", mover::configuration, "An end's address is not on the interface that the site file gives it.",
               "on {machine}: ip -br address; move the address to {interface}, or correct the site file")
        .cause("link.wired-elsewhere", mover::owner, "The cable does not join the two interfaces that the site file joins.",
               "name {found} for {interface} of {machine} in the site file, or move the cable to {interface}")
        .cause("link.fec-differs", mover::configuration,
               "The ends use different forward error correction: such a link does not come up, or only at a lower speed.",
               "on {machine}: ethtool --set-fec {interface} encoding {wanted}; and have the network configuration do it at boot")
        .cause("link.speed-differs", mover::hardware,
               "The ends negotiated different speeds: there is a switch between them, and one side is slow.",
               "on {machine}: ethtool {interface}; then its cable or optic, and the switch port that it is in")
        .cause("link.duplex-differs", mover::configuration,
               "One end is half duplex and the other is not: collisions and retransmits under load. As a rule one end does not negotiate.",
               "let both ends negotiate; on {machine}: ethtool -s {interface} autoneg on")
        .cause("link.autoneg-differs", mover::configuration, "One end negotiates, and the other is set to a fixed mode.",
               "on {machine}: ethtool -s {interface} autoneg {wanted}; and have the network configuration do it at boot")
        .cause("link.mtu-differs", mover::configuration, "The ends have different MTUs: large frames pass in one direction only.",
               "on {machine}: ip link set {interface} mtu {wanted}, from the console or another path")
        .cause("link.address-on-both", mover::configuration, "Both machines have one address: what is sent to it stays where it was sent.",
               "ip -br addr, on both; give {machine} another address than {address} on {interface}, in its network configuration");
}

}  // namespace diag::link
