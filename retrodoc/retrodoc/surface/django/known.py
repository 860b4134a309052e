"""What is known of Django and Django REST framework without reading them: where names live, what classes answer."""

from __future__ import annotations

_GENERIC_HOMES = {
    "base": ("ContextMixin", "RedirectView", "TemplateResponseMixin", "TemplateView", "View"),
    "list": ("ListView", "BaseListView"),
    "detail": ("DetailView", "BaseDetailView"),
    "edit": ("CreateView", "DeleteView", "FormView", "UpdateView", "BaseFormView"),
    "dates": (
        "ArchiveIndexView",
        "DateDetailView",
        "DayArchiveView",
        "MonthArchiveView",
        "TodayArchiveView",
        "WeekArchiveView",
        "YearArchiveView",
    ),
}

HOMES: dict[str, str] = {
    f"django.views.generic.{name}": f"django.views.generic.{home}.{name}"
    for home, names in _GENERIC_HOMES.items()
    for name in names
} | {
    "django.views.View": "django.views.generic.base.View",
    "rest_framework.authtoken.views.obtain_auth_token": "rest_framework.authtoken.views.ObtainAuthToken",
}
"""Names that Django re-exports, and the module that defines them: what its resolver prints."""

_AUTH = "django.contrib.auth.views."
INCLUDED: dict[str, tuple[tuple[str, str, str], ...]] = {
    "django.contrib.auth.urls": (
        ("login/", _AUTH + "LoginView", "login"),
        ("logout/", _AUTH + "LogoutView", "logout"),
        ("password_change/", _AUTH + "PasswordChangeView", "password_change"),
        ("password_change/done/", _AUTH + "PasswordChangeDoneView", "password_change_done"),
        ("password_reset/", _AUTH + "PasswordResetView", "password_reset"),
        ("password_reset/done/", _AUTH + "PasswordResetDoneView", "password_reset_done"),
        ("reset/<uidb64>/<token>/", _AUTH + "PasswordResetConfirmView", "password_reset_confirm"),
        ("reset/done/", _AUTH + "PasswordResetCompleteView", "password_reset_complete"),
    ),
    "django.conf.urls.i18n": (("setlang/", "django.views.i18n.set_language", "set_language"),),
    "rest_framework.urls": (
        ("login/", _AUTH + "LoginView", "login"),
        ("logout/", _AUTH + "LogoutView", "logout"),
    ),
}
"""URL modules of Django's own that projects include: route, view, name."""

ACTIONS: dict[str, tuple[str, ...]] = {
    "ModelViewSet": ("list", "create", "retrieve", "update", "partial_update", "destroy"),
    "ReadOnlyModelViewSet": ("list", "retrieve"),
    "CreateModelMixin": ("create",),
    "ListModelMixin": ("list",),
    "RetrieveModelMixin": ("retrieve",),
    "UpdateModelMixin": ("update", "partial_update"),
    "DestroyModelMixin": ("destroy",),
}
"""Actions that a viewset gets from a base class of the framework, by the class's last name."""

VERBS: dict[str, tuple[str, ...]] = {
    "ListAPIView": ("GET",),
    "CreateAPIView": ("POST",),
    "RetrieveAPIView": ("GET",),
    "DestroyAPIView": ("DELETE",),
    "UpdateAPIView": ("PUT", "PATCH"),
    "ListCreateAPIView": ("GET", "POST"),
    "RetrieveUpdateAPIView": ("GET", "PUT", "PATCH"),
    "RetrieveDestroyAPIView": ("GET", "DELETE"),
    "RetrieveUpdateDestroyAPIView": ("GET", "PUT", "PATCH", "DELETE"),
}
"""Verbs that the generic API views answer, by the class's last name."""

HTTP_VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
"""Verbs that a method of a view is named after; HEAD and OPTIONS are answered by the framework itself."""


def home_of(dotted: str) -> str:
    """The name under which Django's resolver knows something that another package defines."""
    return HOMES.get(dotted, dotted)
