/** Pictures in a form that models take. */
import type { Chip } from '../../src/shared/messages';
import { maxImage, size } from '../../src/shared/limits';
import { t, words } from '../strings';

/** Sent as they are. Others are drawn again as PNG. */
const asTheyAre = new Set(['image/png', 'image/jpeg', 'image/webp']);
/** The longest side of a picture that is scaled down, in pixels: models look at no more. */
const longestSide = 2048;

/** Makes a chip of a picture. Fails with a message for the user if it cannot be read or is too large. */
export async function imageChip(blob: Blob, name: string): Promise<Chip> {
  const fits = await fitting(blob);
  const data = await base64(fits.blob);
  const detail = fits.note === undefined ? `${name} (${size(fits.blob.size)})` : `${name} (${size(fits.blob.size)}, ${fits.note})`;
  return { id: `image:${crypto.randomUUID()}`, kind: 'image', label: name, detail, block: { type: 'image', data, mimeType: fits.blob.type } };
}

/** Draws a picture again that came from the editor in a form that models do not take. */
export async function normalized(chip: Chip): Promise<Chip> {
  if (chip.block.type !== 'image' || asTheyAre.has(chip.block.mimeType)) {
    return chip;
  }
  const bytes = Uint8Array.from(atob(chip.block.data), (character) => character.charCodeAt(0));
  return { ...(await imageChip(new Blob([bytes], { type: chip.block.mimeType }), chip.label)), id: chip.id };
}

async function fitting(blob: Blob): Promise<{ blob: Blob; note?: string }> {
  if (asTheyAre.has(blob.type) && blob.size <= maxImage) {
    return { blob };
  }
  const bitmap = await createImageBitmap(blob).catch(() => {
    throw new Error(t(words.noPicture));
  });
  const scale = blob.size <= maxImage ? 1 : Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext('2d')!.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  for (const type of ['image/png', 'image/jpeg']) {
    const drawn = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.9));
    if (drawn && drawn.size <= maxImage) {
      return scale < 1 ? { blob: drawn, note: t(words.scaled, canvas.width, canvas.height) } : { blob: drawn };
    }
  }
  throw new Error(t(words.tooLarge, size(blob.size), size(maxImage)));
}

function base64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve((reader.result as string).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error(t(words.noPicture)));
    reader.readAsDataURL(blob);
  });
}
