// The screen above a station: its open tickets, oldest first, and a button that advances each.

const REFRESH_MS = 5000;
const LATE_MINUTES = 15;

async function fetchTickets(station) {
  const response = await fetch(`/kitchen/${station}/tickets`);
  if (!response.ok) throw new Error(`no tickets for ${station}`);
  return (await response.json()).tickets;
}

async function advanceTicket(id) {
  await fetch(`/kitchen/tickets/${id}/advance`, { method: "POST" });
}

function minutesWaiting(ticket, now = new Date()) {
  return Math.floor((now - new Date(ticket.sent_at)) / 60000);
}

function renderTicket(ticket, refresh) {
  const card = document.createElement("article");
  card.className = minutesWaiting(ticket) >= LATE_MINUTES ? "late" : ticket.status;
  for (const dish of ticket.dishes) {
    const line = document.createElement("p");
    line.textContent = `${dish.quantity} × ${dish.name} ${dish.note}`.trim();
    card.append(line);
  }
  const button = document.createElement("button");
  button.textContent = ticket.status === "waiting" ? "Start" : "Ready";
  button.addEventListener("click", async () => {
    await advanceTicket(ticket.id);
    await refresh();
  });
  card.append(button);
  return card;
}

async function showQueue(root) {
  const refresh = () => showQueue(root);
  const tickets = await fetchTickets(root.dataset.station);
  root.replaceChildren(...tickets.map((ticket) => renderTicket(ticket, refresh)));
}

const root = document.getElementById("queue");
showQueue(root);
setInterval(() => showQueue(root), REFRESH_MS);
