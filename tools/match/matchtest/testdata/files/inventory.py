"""Stock of a warehouse: what is where, and what must be ordered."""

from __future__ import annotations

import csv
import logging
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

logger = logging.getLogger(__name__)

REORDER_DAYS = 14
SAFETY_FACTOR = 1.25


class UnknownArticle(KeyError):
    """No article has this number."""


@dataclass
class Article:
    number: str
    title: str
    quantity: int = 0
    price: float = 0.0
    movements: list[Movement] = field(default_factory=list)

    def value(self) -> float:
        return self.quantity * self.price

    def demand_per_day(self, days: int = 90) -> float:
        since = date.today() - timedelta(days=days)
        sold = 0
        for movement in self.movements:
            if movement.day < since:
                continue
            if movement.amount < 0:
                sold -= movement.amount
        return sold / days

    def supply_per_day(self, days: int = 90) -> float:
        since = date.today() - timedelta(days=days)
        bought = 0
        for movement in self.movements:
            if movement.day < since:
                continue
            if movement.amount > 0:
                bought += movement.amount
        return bought / days


@dataclass(frozen=True)
class Movement:
    day: date
    amount: int
    reason: str = ""


class Warehouse:
    def __init__(self, name: str) -> None:
        self.name = name
        self.articles: dict[str, Article] = {}

    def add(self, article: Article) -> None:
        if article.number in self.articles:
            raise ValueError(f"article {article.number} exists already")
        self.articles[article.number] = article

    def move(self, number: str, amount: int, reason: str = "") -> int:
        try:
            article = self.articles[number]
        except KeyError:
            raise UnknownArticle(number) from None
        if article.quantity + amount < 0:
            raise ValueError(f"only {article.quantity} of {number} left")
        article.quantity += amount
        article.movements.append(Movement(date.today(), amount, reason))
        logger.info("moved %d of %s: %s", amount, number, reason or "no reason")
        return article.quantity

    def to_order(self) -> list[tuple[Article, int]]:
        orders = []
        for article in self.articles.values():
            needed = article.demand_per_day() * REORDER_DAYS * SAFETY_FACTOR
            missing = round(needed - article.quantity)
            if missing > 0:
                orders.append((article, missing))
        orders.sort(key=lambda order: order[1], reverse=True)
        return orders

    def load(self, path: Path) -> int:
        count = 0
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter=";"):
                self.add(
                    Article(
                        number=row["number"],
                        title=row["title"],
                        quantity=int(row["quantity"] or 0),
                        price=float(row["price"] or 0),
                    )
                )
                count += 1
        return count
