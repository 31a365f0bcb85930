import { useCallback, useEffect, useMemo, useState } from "react";

type Todo = { id: number; title: string; done: boolean; due?: string };
type Filter = "all" | "open" | "done";

const STORAGE_KEY = "todos.v2";

export function TodoList({ owner }: { owner: string }) {
  const [todos, setTodos] = useState<Todo[]>([]);
  const [filter, setFilter] = useState<Filter>("all");
  const [draft, setDraft] = useState("");

  useEffect(() => {
    const stored = localStorage.getItem(`${STORAGE_KEY}.${owner}`);
    if (stored) {
      setTodos(JSON.parse(stored));
    }
  }, [owner]);

  useEffect(() => {
    localStorage.setItem(`${STORAGE_KEY}.${owner}`, JSON.stringify(todos));
  }, [owner, todos]);

  const visible = useMemo(() => {
    switch (filter) {
      case "open":
        return todos.filter((todo) => !todo.done);
      case "done":
        return todos.filter((todo) => todo.done);
      default:
        return todos;
    }
  }, [filter, todos]);

  const addTodo = useCallback(() => {
    const title = draft.trim();
    if (title === "") return;
    setTodos((previous) => [...previous, { id: Date.now(), title, done: false }]);
    setDraft("");
  }, [draft]);

  const toggleTodo = useCallback((id: number) => {
    setTodos((previous) =>
      previous.map((todo) => (todo.id === id ? { ...todo, done: !todo.done } : todo)),
    );
  }, []);

  const removeTodo = useCallback((id: number) => {
    setTodos((previous) => previous.filter((todo) => todo.id !== id));
  }, []);

  return (
    <section className="todo-list" aria-label="Tasks">
      <header>
        <h2>{owner}&rsquo;s tasks</h2>
        <span className="badge">{visible.length}</span>
      </header>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          addTodo();
        }}
      >
        <input
          value={draft}
          placeholder="What needs doing?"
          onChange={(event) => setDraft(event.target.value)}
        />
        <button type="submit" disabled={draft.trim() === ""}>
          Add
        </button>
      </form>
      <ul>
        {visible.map((todo) => (
          <li key={todo.id} className={todo.done ? "done" : "open"}>
            <label>
              <input type="checkbox" checked={todo.done} onChange={() => toggleTodo(todo.id)} />
              {todo.title}
            </label>
            {todo.due && <time dateTime={todo.due}>{todo.due}</time>}
            <button onClick={() => removeTodo(todo.id)}>Remove</button>
          </li>
        ))}
      </ul>
      <nav>
        <button onClick={() => setFilter("all")}>All</button>
        <button onClick={() => setFilter("open")}>Open</button>
        <button onClick={() => setFilter("done")}>Done</button>
      </nav>
    </section>
  );
}
