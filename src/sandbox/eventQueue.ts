import { nth } from '../lib/nth.ts'
/** Something that happens in the world at an instant; `order` makes equal instants happen in the order they were planned. */
export interface WorldEvent {
  readonly at: number
  readonly order: number
  readonly kind: 'mainLeg' | 'zoneLeg' | 'list' | 'unlist' | 'fault' | 'propose' | 'step'
  /** A transfer's number, or a fault's place in the timeline; of a proposal 0. */
  readonly subject: number
}

/** A binary heap, earliest event first. */
export interface EventQueue {
  readonly heap: WorldEvent[]
  planned: number
}

export function createEventQueue(): EventQueue {
  return { heap: [], planned: 0 }
}

export function planEvent(queue: EventQueue, at: number, kind: WorldEvent['kind'], subject: number): void {
  const { heap } = queue
  heap.push({ at, order: queue.planned++, kind, subject })
  let child = heap.length - 1
  while (child > 0) {
    const parent = (child - 1) >>> 1
    if (!isBefore(heap, child, parent)) return
    swap(heap, child, parent)
    child = parent
  }
}

export function peekEvent(queue: EventQueue): WorldEvent | undefined {
  return queue.heap[0]
}

export function takeEvent(queue: EventQueue): WorldEvent | undefined {
  const { heap } = queue
  const first = heap[0]
  const last = heap.pop()
  if (heap.length === 0 || last === undefined) return first
  heap[0] = last
  let parent = 0
  for (;;) {
    let least = parent
    for (const child of [parent * 2 + 1, parent * 2 + 2]) {
      if (child < heap.length && isBefore(heap, child, least)) least = child
    }
    if (least === parent) return first
    swap(heap, least, parent)
    parent = least
  }
}

function isBefore(heap: readonly WorldEvent[], a: number, b: number): boolean {
  const first = nth(heap, a)
  const second = nth(heap, b)
  return first.at < second.at || (first.at === second.at && first.order < second.order)
}

function swap(heap: WorldEvent[], a: number, b: number): void {
  const held = nth(heap, a)
  heap[a] = nth(heap, b)
  heap[b] = held
}
