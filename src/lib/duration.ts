const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** A duration as a pattern, for the JSON Schemas that editors read. */
export const durationForm = String.raw`(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+`

/**
 * Reads `250ms`, `10s`, `1h30m`, `30d`. A number without a unit is not a duration.
 * @returns milliseconds, or null when the text is not a duration
 * @example parseDuration('1h30m') // 5_400_000
 */
export function parseDuration(text: string): number | null {
  const parts = [...text.trim().matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/gy)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text.trim()) return null
  const ms = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? NaN), 0)
  return Number.isSafeInteger(Math.round(ms)) ? Math.round(ms) : null
}

/**
 * The two largest units of a duration, as people say it.
 * @example formatDuration(5_400_000) // '1h 30m'
 */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`
  if (ms < 1_000) return `${Math.round(ms)}ms`
  const seconds = Math.floor(ms / 1_000)
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ')
}
