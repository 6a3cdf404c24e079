"""Which Host headers our servers accept: a check against DNS rebinding.

A web page of another site can let its own name resolve to this machine, and so pass for a page of
our server. Its Host header then has a name that is not ours.
"""

from __future__ import annotations

import ipaddress
import re

LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})


def is_own_host(host: str, hosts: frozenset[str]) -> bool:
    """Return whether a Host header, with or without a port, is one of `hosts`."""
    return _without_port(host) in hosts


def is_address(host: str) -> bool:
    """Return whether a Host header is an IP address, which no other site can claim as its name."""
    try:
        ipaddress.ip_address(_without_port(host).strip("[]"))
    except ValueError:
        return False
    return True


def _without_port(host: str) -> str:
    return re.sub(r":\d+$", "", host.lower())
