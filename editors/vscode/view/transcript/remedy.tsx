import { host } from '../bridge';
import type { Offer } from './remedies';

/** Buttons for what helps. */
export function Remedy({ remedies }: { remedies: readonly Offer[] }) {
  if (remedies.length === 0) {
    return null;
  }
  return (
    <div class="remedies">
      {remedies.map(({ label, command }) => (
        <button key={command} type="button" class="small-button" onClick={() => void host('command', { command }).catch(() => {})}>
          {label}
        </button>
      ))}
    </div>
  );
}
