defmodule Metrics.Counter do
  @moduledoc """
  Counts events per key in windows of time.
  """

  use GenServer

  @window_ms 60_000
  @max_keys 10_000

  def start_link(options \\ []) do
    GenServer.start_link(__MODULE__, options, name: __MODULE__)
  end

  def increment(key, amount \\ 1) do
    GenServer.cast(__MODULE__, {:increment, key, amount})
  end

  def value(key) do
    GenServer.call(__MODULE__, {:value, key})
  end

  @impl true
  def init(options) do
    window = Keyword.get(options, :window_ms, @window_ms)
    Process.send_after(self(), :rotate, window)
    {:ok, %{window: window, current: %{}, previous: %{}}}
  end

  @impl true
  def handle_cast({:increment, key, amount}, state) do
    if map_size(state.current) >= @max_keys and not Map.has_key?(state.current, key) do
      {:noreply, state}
    else
      current = Map.update(state.current, key, amount, &(&1 + amount))
      {:noreply, %{state | current: current}}
    end
  end

  @impl true
  def handle_call({:value, key}, _from, state) do
    total = Map.get(state.current, key, 0) + Map.get(state.previous, key, 0)
    {:reply, total, state}
  end

  @impl true
  def handle_info(:rotate, state) do
    Process.send_after(self(), :rotate, state.window)
    {:noreply, %{state | previous: state.current, current: %{}}}
  end
end
