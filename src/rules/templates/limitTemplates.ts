import {
  CaptureTag,
  type Context,
  type Emitter,
  type FilterImplOptions,
  ForTag,
  type Liquid,
  type Template,
} from 'liquidjs'
import { sizeOf } from '../sizeOf.ts'

type FilterHandler = Extract<FilterImplOptions, (...given: never[]) => unknown>

/** What one turn of a loop costs of the memory that a template may use, so that turns are bounded and not only their text. */
const turnCost = 10

/**
 * Makes a template pay for all that it puts together. The library counts what a filter is given, but neither lists
 * inside lists (doubled 40 times they have more elements than there are bytes), nor what a loop writes, nor what is
 * captured.
 */
export function limitTemplates(engine: Liquid): void {
  const sizes = new WeakMap<object, number>()
  for (const [name, filter] of Object.entries(engine.filters))
    engine.registerFilter(name, payFor(filter, sizes))
  engine.registerTag('for', PaidFor)
  engine.registerTag('capture', PaidCapture)
}

function payFor(filter: FilterImplOptions, sizes: WeakMap<object, number>): FilterImplOptions {
  const handler = typeof filter === 'function' ? filter : filter.handler
  const paid: FilterHandler = function* (this: ThisParameterType<FilterHandler>, ...given) {
    const result: unknown = yield handler.apply(this, given)
    this.context.memoryLimit.use(sizeOf(result, sizes))
    return result
  }
  return typeof filter === 'function' ? paid : { ...filter, handler: paid }
}

/** Later than any time in seconds that there is, and earlier than any in milliseconds. */
const leastMs = 100_000_000_000

/** Liquid's own filters of dates count in seconds, and our times in milliseconds: {{ since | date }} was in the year 57971. */
export function takeMilliseconds(engine: Liquid): void {
  for (const [name, filter] of Object.entries(engine.filters)) {
    if (!name.startsWith('date') || typeof filter !== 'function') continue
    const ofMs: FilterHandler = function (this: ThisParameterType<FilterHandler>, ...given) {
      const [value, ...rest]: unknown[] = given
      const isMs = typeof value === 'number' && Math.abs(value) >= leastMs
      return filter.apply(this, [isMs ? new Date(value) : value, ...rest])
    }
    engine.registerFilter(name, ofMs)
  }
}

class PaidFor extends ForTag {
  constructor(...given: ConstructorParameters<typeof ForTag>) {
    super(...given)
    const turn: Template = { token: this.token, render: payTurn }
    this.templates.unshift(turn)
  }

  override *render(context: Context, emitter: Emitter): ReturnType<ForTag['render']> {
    return yield* super.render(context, payingEmitter(context, emitter))
  }
}

function payTurn(context: Context): void {
  context.memoryLimit.use(turnCost)
}

function payingEmitter(context: Context, emitter: Emitter): Emitter {
  return {
    write: (part) => {
      context.memoryLimit.use(String(part).length)
      emitter.write(part)
    },
    get buffer() {
      return emitter.buffer
    },
  }
}

class PaidCapture extends CaptureTag {
  override *render(context: Context): ReturnType<CaptureTag['render']> {
    yield* super.render(context)
    context.memoryLimit.use(String(context.bottom()[this.variable]).length)
  }
}
