"""With whom answers are shared, on both databases."""

from store.records import Records


def saved(records: Records, id: str) -> str:
    records.save_answer(id, None, "Ethics Office", "It advises.", '{"kind": "other"}', asker="ann", kind="brief")
    return id


def test_what_is_shared_is_seen_until_it_ends_and_is_forgotten_with_its_answer(records: Records) -> None:
    first, second = saved(records, "1" * 32), saved(records, "2" * 32)
    for person in ("bob", "cleo", "bob"):
        records.shares.put(first, person)
    records.shares.put(second, "bob")
    assert sorted(records.shares.people(first)) == ["bob", "cleo"]
    assert records.shares.answers("bob") == (second, first)
    assert records.shares.answers("ann") == ()
    records.shares.end(first, "cleo")
    records.shares.end(first, "nobody")
    assert records.shares.people(first) == ("bob",)
    records.forget_person("ann", by="ada")
    assert records.shares.people(first) == records.shares.people(second) == ()
