"""What runs at night, when the house is empty."""

from datetime import UTC, datetime, timedelta

from celery import Celery, Task, shared_task
from celery.schedules import crontab

from .db import get_db
from .models import OrderStatus

BEAT_SCHEDULE = {
    "close-the-day": {"task": "order_desk.close_the_day", "schedule": crontab(hour=4, minute=0)},
}


def init_app(app):
    """Run tasks inside the application's context."""

    class ContextTask(Task):
        def __call__(self, *args, **kwargs):
            with app.app_context():
                return self.run(*args, **kwargs)

    worker = Celery(app.name, task_cls=ContextTask, broker=app.config["BROKER_URL"])
    worker.conf.beat_schedule = BEAT_SCHEDULE
    worker.set_default()
    app.extensions["celery"] = worker


@shared_task(name="order_desk.close_the_day")
def close_the_day(day=None):
    """Give up forgotten drafts, write the day's report, and fill the portions up for tomorrow."""
    db = get_db()
    day = day or yesterday()
    with db:
        abandoned = abandon_drafts(db, day)
        report = summarise(db, day, abandoned)
        store_report(db, report)
        restock(db)
    return report


def yesterday():
    return (datetime.now(UTC) - timedelta(days=1)).date().isoformat()


def abandon_drafts(db, day):
    """Drafts that were taken on that day or before it, and never sent."""
    cursor = db.execute(
        "UPDATE customer_order SET status = ? WHERE status = 'draft' AND date(taken_at) <= ?",
        (OrderStatus.ABANDONED, day),
    )
    return cursor.rowcount


def summarise(db, day, abandoned):
    money = db.execute(
        "SELECT COALESCE(SUM(amount - tip), 0) AS revenue, COALESCE(SUM(tip), 0) AS tips"
        " FROM payment WHERE date(paid_at) = ?",
        (day,),
    ).fetchone()
    return {
        "day": day,
        "covers": count_covers(db, day),
        "revenue": money["revenue"],
        "tips": money["tips"],
        "abandoned_orders": abandoned,
    }


def count_covers(db, day):
    """Seats that ordered something which reached the kitchen."""
    query = (
        "SELECT COUNT(DISTINCT order_id || '/' || seat) FROM order_line"
        " JOIN customer_order ON customer_order.id = order_id"
        " WHERE date(taken_at) = ? AND status IN ('sent', 'served') AND voided_because IS NULL"
    )
    return db.execute(query, (day,)).fetchone()[0]


def store_report(db, report):
    db.execute(
        "INSERT OR REPLACE INTO day_report (day, covers, revenue, tips, abandoned_orders)"
        " VALUES (:day, :covers, :revenue, :tips, :abandoned_orders)",
        report,
    )


def restock(db):
    db.execute("UPDATE menu_item SET portions_left = daily_portions WHERE daily_portions IS NOT NULL")
