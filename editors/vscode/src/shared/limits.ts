/** Limits of what goes with a prompt. */

/** The bytes of an image before it is encoded. Providers take requests of up to 20 MB, encoded and with everything else. */
export const maxImage = 5 << 20;
/** The bytes of all images of a prompt. */
export const maxImages = 12 << 20;
/** The bytes of a text file that is attached whole. */
export const maxText = 256 << 10;

/** The media types of the images that models take, by the ends of the files' names. */
export const imageTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** Returns the media type of an image by its name; undefined if models do not take it. */
export function imageType(name: string): string | undefined {
  return imageTypes[name.slice(name.lastIndexOf('.') + 1).toLowerCase()];
}

/** A number of bytes for people: `3.1 MB`, `12 KB`. */
export function size(bytes: number): string {
  if (bytes < 1000) {
    return `${bytes} B`;
  }
  const [amount, unit] = bytes < 1_000_000 ? [bytes / 1000, 'KB'] : [bytes / 1_000_000, 'MB'];
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${unit}`;
}
