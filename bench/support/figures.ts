import { appendFileSync } from 'node:fs'

/** One measured number. */
export interface Figure {
  readonly name: string
  readonly value: number
  /** `ms`, `MB`, `a second`; '' for a ratio. */
  readonly unit: string
  readonly target?: { readonly atMost: number } | { readonly atLeast: number }
  /** What bare work of the same kind takes, measured in the same run and in the same unit. */
  readonly floor?: number
}

/** The file that `npm run bench` reads figures from, one a line as JSON. */
export const figuresVariable = 'BENCH_FIGURES'

/** Prints a figure, and leaves it to `npm run bench` where that is what runs. */
export function note(figure: Figure): void {
  const { name, value, unit, target, floor } = figure
  const beside = floor === undefined ? '' : `, floor ${formatFigure(floor)}`
  const wanted = target === undefined ? '' : `, target ${describeTarget(target)}`
  console.log(`${name}: ${formatFigure(value)} ${unit}${beside}${wanted}`.replaceAll(/ (?=,|$)/g, ''))
  const path = process.env[figuresVariable]
  if (path !== undefined) appendFileSync(path, `${JSON.stringify(figure)}\n`)
}

export function describeTarget(target: NonNullable<Figure['target']>): string {
  return 'atMost' in target
    ? `at most ${formatFigure(target.atMost)}`
    : `at least ${formatFigure(target.atLeast)}`
}

export function isReached({ value, target }: Figure): boolean {
  if (target === undefined) return true
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast
}

/** Two digits of what is small, no fraction of what is large. */
export function formatFigure(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return new Intl.NumberFormat('en', { maximumFractionDigits: digits }).format(value)
}
