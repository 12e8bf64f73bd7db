"""A list of records of which all but the newest are packed."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from workbench.values.frozen import FrozenDict, freeze
from workbench.values.packed import BLOCK, Packed


@dataclass(slots=True)
class Record:
    number: int
    text: str
    usage: FrozenDict


def made(number: int) -> Record:
    return Record(number, f"{number} \x00 日本語", freeze({"n": [number]}))


def test_whatever_was_appended_is_there() -> None:
    records: Packed[Record] = Packed()
    assert list(records) == []
    for number in range(5 * BLOCK + 7):
        records.append(made(number))
        assert len(records) == number + 1
    assert list(records) == [made(number) for number in range(5 * BLOCK + 7)]
    assert records[-1] == made(5 * BLOCK + 6)
    assert [record.number for record in records[BLOCK - 1 : BLOCK + 2]] == [BLOCK - 1, BLOCK, BLOCK + 1]
    assert isinstance(records[0].usage, FrozenDict)
    for index in (len(records), -len(records) - 1):
        with pytest.raises(IndexError):
            records[index]


def test_the_newest_ones_can_be_changed() -> None:
    records: Packed[Record] = Packed()
    last = made(0)
    records.append(last)
    for number in range(1, 4 * BLOCK):
        last.text = "changed while it was the newest"
        last = made(number)
        records.append(last)
        assert records[-1] is last
    assert all(record.text.startswith("changed") for record in records[:-1])


def test_what_is_read_while_it_grows() -> None:
    records: Packed[int] = Packed()
    records.append(0)
    for number in records:
        if number < 4 * BLOCK:
            records.append(number + 1)
    assert list(records) == list(range(4 * BLOCK + 1))
