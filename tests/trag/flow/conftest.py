"""Two procedures with a step in common, and an encoder of which every similarity is known: texts are angles."""

from collections.abc import Mapping, Sequence
from math import cos, radians, sin

import numpy as np
import pytest

from org.procedures.actions import Action
from org.procedures.flows import Book, Procedure, Step
from trag.flow.scoring import Encode

ANGLES: Mapping[str, float] = {
    # what a customer writes
    "a car please": 0,
    # steps
    "Begin": 90,
    "Offer cars": 10,
    "Offer rooms": 170,
    "Order": 45,
    "End": 120,
    # thoughts
    "I look for cars.": 20,
    "I look for rooms.": 150,
    "I order it.": 50,
    "I begin.": 85,
    # names, which matter where one was invented, and descriptions
    "InitSystem": 300,
    "Start": 310,
    "FindCar": 200,
    "FindRoom": 220,
    "Order_": 250,
    "Finish": 270,
    "FindBoat": 205,
    "looks for cars": 15,
    "looks for rooms": 160,
    "places the order": 60,
    "": 0,
}


@pytest.fixture(scope="session")
def book() -> Book:
    return Book.of(
        (
            Action("InitSystem", "", gives=("init",)),
            Action("Start", "", needs=(("init",),)),
            Action("FindCar", "", "looks for cars", gives=("car",)),
            Action("FindRoom", "", "looks for rooms", gives=("room",)),
            Action("Order_", "", "places the order", needs=(("car", "room"),), gives=("order",)),
            Action("Finish", "", needs=(("order",),)),
        ),
        (
            Procedure("cars", "Cars", steps=tuple(map(Step, ("Begin", "Offer cars", "Order", "End")))),
            Procedure("rooms", "Rooms", steps=tuple(map(Step, ("Begin", "Offer rooms", "Order", "End")))),
        ),
    )


@pytest.fixture(scope="session")
def encode() -> Encode:
    def vectors(texts: Sequence[str]) -> np.ndarray:
        angles = [radians(ANGLES[text]) for text in texts]
        return np.array([[cos(angle), sin(angle)] for angle in angles])

    return vectors
