"""Where the server listens, and where it can be reached."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

from relaysow._support.checks import shown


def listener_at(host: str, port: int) -> socket.socket:
    """A socket that listens at a name or an address of this machine.

    Raises `OSError` in one line if the address cannot be had, `ValueError` for what is no name.
    """
    if not host:  # which to the system means all of its addresses
        raise ValueError("host='': must be a name or an address")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # Of a name with addresses of both kinds the older one, as browsers reach it anywhere.
        family, *_, address = min(found, key=lambda info: info[0] != socket.AF_INET)
        return socket.create_server(address, family=family)
    except ValueError as error:  # a label too long, a null character
        raise ValueError(f"host={shown(host)}: must be a name or an address") from error
    except OSError as error:
        reason = (error.strerror or f"{error}").partition(" (while")[0]
        raise OSError(f"{host} port {port}: {reason}") from error


def url(host: str, port: int) -> str:
    """
    >>> url("::1", 8765)
    'http://[::1]:8765/'
    """
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def told(host: str, listener: socket.socket) -> tuple[str, str]:
    """The page's address from this machine, and what is to be known if others can reach it too."""
    bound, port = listener.getsockname()[:2]
    address = ip_address(bound.partition("%")[0])
    if address.is_loopback:
        return url(host, port), ""
    note = (
        "Anyone on the network can use it: there is no password, and it computes on this machine."
    )
    if not address.is_unspecified:
        return url(host, port), note
    found = "".join(f"\n  {url(one, port)}" for one in addresses_of(listener.family))
    here = "::1" if listener.family == socket.AF_INET6 else "127.0.0.1"
    return url(here, port), f"{note}\nThere it is reached at{found or ' all its addresses.'}"


def addresses_of(family: int) -> list[str]:
    """This machine's addresses of a family, as far as they can be told; not those that it alone,
    or only a part of the network can reach."""
    found: list[str] = []
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        # Nothing is sent: the system chooses the address that it would send from.
        probe.connect(("192.0.2.1" if family == socket.AF_INET else "2001:db8::1", 9))
        found.append(probe.getsockname()[0])
    with suppress(OSError):
        if sys.platform != "linux":
            names = socket.getaddrinfo(socket.gethostname(), None, family)
            found += [str(info[4][0]) for info in names]
        elif family == socket.AF_INET6:
            for line in Path("/proc/net/if_inet6").read_text("ascii").splitlines():
                found.append(str(ip_address(bytes.fromhex(line.split()[0]))))
        else:  # the name may take a name service long to find
            from fcntl import ioctl

            with socket.socket(family, socket.SOCK_DGRAM) as asked:
                for _, name in socket.if_nameindex():
                    with suppress(OSError):  # an interface without an address
                        answer = ioctl(asked, 0x8915, name.encode().ljust(40, b"\0"))  # SIOCGIFADDR
                        found.append(socket.inet_ntoa(answer[20:24]))
    kept = [
        one for one in dict.fromkeys(found) if not ip_address(one.partition("%")[0]).is_loopback
    ]
    return [one for one in kept if not ip_address(one.partition("%")[0]).is_link_local]
