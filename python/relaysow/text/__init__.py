"""Text and pictures: notation, boards, words, and what people type."""

from relaysow._support.reloading import once

once(__name__)
