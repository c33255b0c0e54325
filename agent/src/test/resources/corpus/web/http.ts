// TODO: show a spinner while a request runs
export async function post(path: string, body: unknown): Promise<Response> {
  const response = await fetch(path, { method: "POST", body: JSON.stringify(body) });
  if (response.status === 401) {
    window.location.href = "/login";
  }
  return response;
}
