/** Returns the address if it is one that a browser may open: http or https, without a name and password. */
export function webAddress(href: string): string | undefined {
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return undefined;
  }
  const web = url.protocol === 'http:' || url.protocol === 'https:';
  return web && url.username === '' && url.password === '' ? url.href : undefined;
}
