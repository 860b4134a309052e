def test_a_party_is_seated_once(client):
    assert client.post("/tables/2/seat", json={"party": 5}).status_code == 201
    assert client.post("/tables/2/seat", json={"party": 2}).json["error"] == "wrong-state"
    assert client.post("/tables/3/seat", json={"party": 6}).json["error"] == "invalid"
    assert [table["party"] for table in client.get("/tables").json["tables"]] == [0, 5, 0, 0]


def test_an_order_is_kept_whole_or_not_at_all(client, db):
    client.post("/tables/1/seat", json={"party": 2})
    lines = [{"code": "salad"}, {"code": "steak", "quantity": 4}]
    answer = client.post("/orders", json={"table": 1, "lines": lines})
    assert (answer.status_code, answer.json["error"]) == (409, "sold-out")
    assert db.execute("SELECT COUNT(*) FROM customer_order").fetchone()[0] == 0


def test_a_voided_line_gives_its_portions_back(client, db):
    client.post("/tables/1/seat", json={"party": 1})
    order = client.post("/orders", json={"table": 1, "lines": [{"code": "steak", "quantity": 2}]}).json["order"]
    client.post(f"/orders/{order}/lines", json={"code": "water"})
    assert client.delete(f"/orders/{order}/lines/1", json={"reason": " "}).status_code == 422
    assert client.delete(f"/orders/{order}/lines/1", json={"reason": "changed their mind"}).status_code == 204
    assert db.execute("SELECT portions_left FROM menu_item WHERE code = 'steak'").fetchone()[0] == 3


def test_an_order_is_sent_once_and_not_empty(client, sent_order):
    assert client.post(f"/orders/{sent_order}/send").json["error"] == "wrong-state"
    order = client.post("/orders", json={"table": 1, "lines": [{"code": "water"}]}).json["order"]
    line = sent_order + 3
    client.delete(f"/orders/{order}/lines/{line}", json={"reason": "mistake"})
    assert client.post(f"/orders/{order}/send").json["error"] == "invalid"


def test_a_table_closes_when_all_is_paid(client, sent_order):
    assert client.post("/tables/1/close").json["error"] == "not-settled"
    client.post("/bills/1/payments", json={"amount": 3960, "method": "card"})
    assert client.post("/tables/1/close").json == {"table": 1, "total": 3960}
    assert client.get("/bills/1").json["total"] == 0
