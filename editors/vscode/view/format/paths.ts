/**
 * The last part of a file's label, for where there is little room, behind the name
 * of its workspace folder if there are several.
 */
export function shortLabel(label: string, several: boolean): string {
  const parts = label.split('/');
  const last = parts.at(-1)!;
  return !several || parts.length < 2 || parts[0] === '' ? last : [parts[0], ...(parts.length > 2 ? ['…'] : []), last].join('/');
}
