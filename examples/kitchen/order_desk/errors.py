"""What the desk refuses to do, with the HTTP status that says so."""


class DeskError(Exception):
    """A request that breaks a rule of the house."""

    code = "refused"
    status = 409


class NotFound(DeskError):
    code = "not-found"
    status = 404


class SoldOut(DeskError):
    code = "sold-out"


class WrongState(DeskError):
    code = "wrong-state"


class NotSettled(DeskError):
    code = "not-settled"


class Invalid(DeskError):
    code = "invalid"
    status = 422
