import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { askIn, type Box, type Entry } from './instruction';

/** A quick pick whose list is drawn only when the test says so: the extension hears keys before it. */
class LateBox implements Box<Entry> {
  value = '';
  items: readonly Entry[] = [];
  activeItems: readonly Entry[] = [];
  private readonly listeners = { value: () => {}, accept: () => {}, hide: () => {} };

  onDidChangeValue = (listener: () => void): void => void (this.listeners.value = listener);
  onDidAccept = (listener: () => void): void => void (this.listeners.accept = listener);
  onDidHide = (listener: () => void): void => void (this.listeners.hide = listener);
  show(): void {}
  dispose(): void {}
  hide(): void {
    this.listeners.hide();
  }

  draw(active = 0): void {
    this.activeItems = this.items.slice(active, active + 1);
  }

  type(text: string): void {
    this.value += text;
    this.listeners.value();
  }

  enter(): void {
    this.listeners.accept();
  }
}

const asked = (...earlier: string[]): { box: LateBox; answer: Promise<string | undefined> } => {
  const box = new LateBox();
  const answer = askIn<Entry>(box, earlier, (label, entryKind) => ({ label, entryKind }));
  box.draw();
  return { box, answer };
};

describe('the box for an instruction', () => {
  it('takes what is in it, and not the earlier instruction that the list still has active', async () => {
    const { box, answer } = asked('delete all');
    box.type('round up');
    box.enter();
    assert.equal(await answer, 'round up');
  });

  it('takes the last letter too, which the list does not show yet', async () => {
    const { box, answer } = asked();
    box.type('round u');
    box.draw();
    box.type('p');
    box.enter();
    assert.equal(await answer, 'round up');
  });

  it('takes an earlier instruction that is chosen in an empty box', async () => {
    const { box, answer } = asked('round up', 'add types');
    box.draw(1);
    box.enter();
    assert.equal(await answer, 'add types');
  });

  it('takes nothing that was typed and removed again', async () => {
    const { box, answer } = asked();
    box.type('x');
    box.draw();
    box.value = '';
    box.type('');
    box.enter();
    box.hide();
    assert.equal(await answer, undefined);
  });
});
