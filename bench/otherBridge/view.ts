/** How far the explorer has come, by what it shows. */
export interface View {
  /** The present. */
  readonly now: number
  readonly main: number
  readonly zone: number
  readonly list: number
}
