def test_each_station_gets_its_own_ticket(client, sent_order):
    queues = {
        station: client.get(f"/kitchen/{station}/tickets").json["tickets"] for station in ("grill", "cold", "bar")
    }
    assert {station: [dish["name"] for dish in queue[0]["dishes"]] for station, queue in queues.items()} == {
        "grill": ["Rib steak"],
        "cold": ["Green salad"],
        "bar": ["Sparkling water"],
    }
    assert client.get("/kitchen/pastry/tickets").status_code == 404
    assert b'data-station="grill"' in client.get("/kitchen/grill").data


def test_the_last_ready_ticket_serves_the_order(client, db, sent_order):
    for ticket in (1, 2, 3):
        assert client.post(f"/kitchen/tickets/{ticket}/advance").json["status"] == "cooking"
        assert client.post(f"/kitchen/tickets/{ticket}/advance").json["status"] == "ready"
        status = db.execute("SELECT status FROM customer_order WHERE id = ?", (sent_order,)).fetchone()[0]
        assert status == ("served" if ticket == 3 else "sent")
    assert client.post("/kitchen/tickets/1/advance").json["error"] == "wrong-state"
