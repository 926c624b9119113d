"""Support: what every other package may lean on, and which leans on none of them."""

from relaysow._support.reloading import once

once(__name__)
