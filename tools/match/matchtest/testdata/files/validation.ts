export type Issue = { path: string; message: string };

export interface Schema<T> {
  parse(value: unknown, path?: string): T;
  optional(): Schema<T | undefined>;
}

export class ValidationError extends Error {
  constructor(readonly issues: Issue[]) {
    super(issues.map((issue) => `${issue.path}: ${issue.message}`).join("; "));
    this.name = "ValidationError";
  }
}

abstract class BaseSchema<T> implements Schema<T> {
  abstract parse(value: unknown, path?: string): T;

  optional(): Schema<T | undefined> {
    const inner = this;
    return new (class extends BaseSchema<T | undefined> {
      parse(value: unknown, path = "$"): T | undefined {
        return value === undefined ? undefined : inner.parse(value, path);
      }
    })();
  }

  protected fail(path: string, message: string): never {
    throw new ValidationError([{ path, message }]);
  }
}

export class StringSchema extends BaseSchema<string> {
  constructor(private minimum = 0, private maximum = Infinity) {
    super();
  }

  parse(value: unknown, path = "$"): string {
    if (typeof value !== "string") {
      this.fail(path, `expected a string, got ${typeof value}`);
    }
    if (value.length < this.minimum) {
      this.fail(path, `shorter than ${this.minimum} characters`);
    }
    if (value.length > this.maximum) {
      this.fail(path, `longer than ${this.maximum} characters`);
    }
    return value;
  }
}

export class NumberSchema extends BaseSchema<number> {
  constructor(private minimum = -Infinity, private maximum = Infinity) {
    super();
  }

  parse(value: unknown, path = "$"): number {
    if (typeof value !== "number" || Number.isNaN(value)) {
      this.fail(path, `expected a number, got ${typeof value}`);
    }
    if (value < this.minimum) {
      this.fail(path, `less than ${this.minimum}`);
    }
    if (value > this.maximum) {
      this.fail(path, `more than ${this.maximum}`);
    }
    return value;
  }
}

export class ObjectSchema<T extends object> extends BaseSchema<T> {
  constructor(private shape: { [K in keyof T]: Schema<T[K]> }) {
    super();
  }

  parse(value: unknown, path = "$"): T {
    if (typeof value !== "object" || value === null) {
      this.fail(path, "expected an object");
    }
    const result = {} as T;
    const issues: Issue[] = [];
    for (const key of Object.keys(this.shape) as (keyof T & string)[]) {
      try {
        result[key] = this.shape[key].parse((value as T)[key], `${path}.${key}`);
      } catch (error) {
        if (!(error instanceof ValidationError)) throw error;
        issues.push(...error.issues);
      }
    }
    if (issues.length > 0) throw new ValidationError(issues);
    return result;
  }
}
