"""Text and pictures: notation, records, boards, and what people type."""

from relaysow._support.reloading import once

once(__name__)
