import pytest

from order_desk.billing.bills import split_equally
from order_desk.jobs import close_the_day
from order_desk.models import Bill, OrderLine


@pytest.mark.parametrize(
    ("due", "shares", "expected"),
    [(1000, 3, [334, 333, 333]), (1001, 2, [501, 500]), (0, 4, [0, 0, 0, 0])],
)
def test_equal_shares_add_up_to_the_cent(due, shares, expected):
    bill = Bill(1, (OrderLine("salad", "Salad", 1, due, 1),), service=0, paid=0)
    assert split_equally(bill, shares) == expected


def test_each_seat_pays_what_it_ordered_and_its_part_of_the_service(client, sent_order):
    shares = client.post("/bills/1/split", json={"by": "seat"}).json["shares"]
    assert shares == {"1": 2640, "2": 1320}
    client.post("/bills/1/payments", json={"amount": 1320, "method": "cash"})
    assert client.post("/bills/1/split", json={"by": "seat"}).json["error"] == "not-settled"
    assert client.post("/bills/1/split", json={"shares": 2}).json["shares"] == [1320, 1320]


def test_what_exceeds_the_sum_due_is_a_tip_but_never_on_a_voucher(client, sent_order):
    pay = {"amount": 4200, "method": "voucher"}
    assert client.post("/bills/1/payments", json=pay).status_code == 422
    assert client.post("/bills/1/payments", json=pay | {"method": "shells"}).status_code == 422
    assert client.post("/bills/1/payments", json=pay | {"method": "card"}).json == {"due": 0, "tip": 240}


def test_the_night_job_reports_the_day_and_restocks(app, client, db, sent_order):
    client.post("/bills/1/payments", json={"amount": 4000, "method": "cash"})
    client.post("/orders", json={"table": 1, "lines": [{"code": "water"}]})
    day = db.execute("SELECT date(paid_at) FROM payment").fetchone()[0]

    report = close_the_day(day)

    assert report == {"day": day, "covers": 2, "revenue": 3960, "tips": 40, "abandoned_orders": 1}
    assert db.execute("SELECT portions_left FROM menu_item WHERE code = 'steak'").fetchone()[0] == 3
    printed = app.test_cli_runner().invoke(args=["day-report", day]).output
    assert "2 covers, 39.60 EUR" in printed
    assert "1 orders abandoned" in printed
