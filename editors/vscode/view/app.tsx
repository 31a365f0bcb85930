import { Header } from './header/header';
import { Prompt } from './prompt/prompt';
import { Questions } from './questions/questions';
import { Sessions } from './sessions/sessions';
import { TabTitle } from './sessions/tab';
import { useStore } from './state';
import { PlanBar } from './transcript/plan';
import { Transcript } from './transcript/transcript';

/**
 * The whole view. The conversation stays where it is, hidden, while another
 * screen is shown, so that what is typed, folded and scrolled is as it was.
 */
export function App() {
  const ready = useStore((state) => state.ready);
  const screen = useStore((state) => state.screen);
  if (!ready) {
    return null;
  }
  return (
    <div class="app">
      <TabTitle />
      <Header />
      {screen === 'sessions' && <Sessions />}
      <main class="chat" hidden={screen !== 'chat'}>
        <Transcript />
        <PlanBar />
        <Questions />
        <Prompt />
      </main>
    </div>
  );
}
