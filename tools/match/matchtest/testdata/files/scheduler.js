'use strict';

const { EventEmitter } = require('node:events');

const DEFAULTS = {
  concurrency: 4,
  retries: 3,
  backoff: 250,
};

class Scheduler extends EventEmitter {
  constructor(options = {}) {
    super();
    this.options = { ...DEFAULTS, ...options };
    this.waiting = [];
    this.running = new Map();
    this.finished = 0;
    this.failed = 0;
  }

  enqueue(name, work, priority = 0) {
    const job = { name, work, priority, attempts: 0, enqueuedAt: Date.now() };
    const index = this.waiting.findIndex((other) => other.priority < priority);
    if (index === -1) {
      this.waiting.push(job);
    } else {
      this.waiting.splice(index, 0, job);
    }
    this.emit('enqueued', job.name, this.waiting.length);
    this.fill();
    return job;
  }

  fill() {
    while (this.running.size < this.options.concurrency && this.waiting.length > 0) {
      const job = this.waiting.shift();
      this.running.set(job.name, job);
      this.execute(job);
    }
  }

  async execute(job) {
    job.attempts += 1;
    this.emit('started', job.name, job.attempts);
    try {
      const result = await job.work();
      this.finished += 1;
      this.emit('finished', job.name, result);
    } catch (error) {
      if (job.attempts <= this.options.retries) {
        const delay = this.options.backoff * 2 ** (job.attempts - 1);
        setTimeout(() => this.requeue(job), delay);
        this.emit('retrying', job.name, delay);
      } else {
        this.failed += 1;
        this.emit('failed', job.name, error);
      }
    } finally {
      this.running.delete(job.name);
      this.fill();
    }
  }

  requeue(job) {
    this.waiting.unshift(job);
    this.fill();
  }

  cancel(name) {
    const before = this.waiting.length;
    this.waiting = this.waiting.filter((job) => job.name !== name);
    const removed = before - this.waiting.length;
    if (removed > 0) {
      this.emit('cancelled', name);
    }
    return removed > 0;
  }

  get idle() {
    return this.running.size === 0 && this.waiting.length === 0;
  }

  summary() {
    return {
      waiting: this.waiting.length,
      running: this.running.size,
      finished: this.finished,
      failed: this.failed,
    };
  }
}

module.exports = { Scheduler, DEFAULTS };
