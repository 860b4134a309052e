import pytest

from order_desk import create_app
from order_desk.db import get_db

MENU = """code,name,price,station,portions
steak,Rib steak,2400,grill,3
salad,Green salad,850,cold,
water,Sparkling water,350,bar,
"""


@pytest.fixture
def app(tmp_path):
    app = create_app({"DATABASE": str(tmp_path / "desk.sqlite"), "TESTING": True})
    menu = tmp_path / "menu.csv"
    menu.write_text(MENU, encoding="utf-8")
    runner = app.test_cli_runner()
    assert "4 tables" in runner.invoke(args=["init-db", "--tables", "4"]).output
    assert "3 dishes" in runner.invoke(args=["load-menu", str(menu)]).output
    return app


@pytest.fixture
def client(app):
    return app.test_client()


@pytest.fixture
def db(app):
    with app.app_context():
        yield get_db()


@pytest.fixture
def sent_order(client):
    """Two guests at table 1: a steak for seat 1, a salad and water for seat 2; sent to the kitchen."""
    client.post("/tables/1/seat", json={"party": 2})
    lines = [{"code": "steak"}, {"code": "salad", "seat": 2}, {"code": "water", "seat": 2, "note": "no ice"}]
    order = client.post("/orders", json={"table": 1, "lines": lines}).json["order"]
    client.post(f"/orders/{order}/send")
    return order
