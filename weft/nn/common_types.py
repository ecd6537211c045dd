"""Types of the sizes that layers take: one number, or one for each dimension."""
_size_any_t, _size_any_opt_t = int | tuple[int, ...], int | None | tuple[int | None, ...]
_size_1_t, _size_2_t, _size_3_t = int | tuple[int], int | tuple[int, int], int | tuple[int, int, int]
_size_4_t, _size_5_t = int | tuple[int, int, int, int], int | tuple[int, int, int, int, int]
_size_6_t = int | tuple[int, int, int, int, int, int]
_size_2_opt_t, _size_3_opt_t = int | None | tuple[int | None,
                                                  int | None], int | None | tuple[int | None, int | None, int | None]
_ratio_2_t, _ratio_3_t, _ratio_any_t = float | tuple[float, float], float | tuple[float, float,
                                                                                  float], float | tuple[float, ...]
