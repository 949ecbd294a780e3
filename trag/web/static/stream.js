// Gradio's page sends each event to queue/join and hears of all of them on one stream, queue/data, which ends with the last
// event that is on its way. Two things go wrong with that. Both are mended here, before Gradio's own script runs.
{
  const { fetch } = window;
  const heard = new Set(); // the events that the open stream has spoken of
  let open = false;
  let waiting = [];

  const wake = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };

  const close = () => {
    open = false;
    heard.clear();
    wake();
  };

  const listen = async (reader) => {
    let rest = "";
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) for (const [, event] of line.matchAll(/"event_id":"(\w+)"/g)) heard.add(event);
      wake();
    }
  };

  const stream = async (...request) => {
    open = true;
    try {
      const response = await fetch(...request);
      const [page, ours] = response.body.tee();
      // The reading fails when the page hangs up.
      listen(ours.pipeThrough(new TextDecoderStream()).getReader()).then(close, close);
      return new Response(page, response);
    } catch (error) {
      close();
      throw error;
    }
  };

  // An event that is sent while the end of the stream is on its way is never heard of: the page takes the stream for open
  // and opens no other. So the page learns of its event only when the open stream has spoken of it, or has ended.
  const join = async (...request) => {
    const response = await fetch(...request);
    if (!response.ok) return response;
    const { event_id } = await response.clone().json();
    while (open && !heard.has(event_id)) await new Promise((resolve) => waiting.push(resolve));
    return response;
  };

  window.fetch = (...request) => {
    const { pathname } = new URL(request[0].url ?? request[0], location);
    if (pathname.endsWith("/queue/data")) return stream(...request);
    if (pathname.endsWith("/queue/join")) return join(...request);
    return fetch(...request);
  };

  // Gradio hangs up when its page is left, takes that for a lost connection, and every two seconds tries to load the page
  // again that is being left: a slower page would never come. So it gets no answer for a while.
  addEventListener("beforeunload", () => {
    const { fetch } = window;
    window.fetch = () => new Promise(() => {});
    setTimeout(() => (window.fetch = fetch), 60_000);
  });
}
