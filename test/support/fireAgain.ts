// Firing, resolving and firing again within a group's timers, and the notifications that Alertmanager 0.25 gives for it.

export const groupWaitMs = 2_000
export const groupIntervalMs = 4_000
/** What is true from when on, in milliseconds; halfway between two looks at the group, so that nothing hangs on luck. */
export const script: readonly { readonly at: number; readonly firing: readonly string[] }[] = [
  { at: 0, firing: ['a'] },
  { at: 4_000, firing: ['a', 'b'] },
  { at: 8_000, firing: ['b'] },
  { at: 12_000, firing: ['a', 'b'] },
  { at: 16_000, firing: [] },
]
export const endAt = 23_000

export interface Told {
  readonly firing: readonly string[]
  readonly resolved: readonly string[]
}

export const expected: readonly Told[] = [
  { firing: ['a'], resolved: [] },
  { firing: ['a', 'b'], resolved: [] },
  { firing: ['b'], resolved: ['a'] },
  { firing: ['a', 'b'], resolved: [] },
  { firing: [], resolved: ['a', 'b'] },
]
