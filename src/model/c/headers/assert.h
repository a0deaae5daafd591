#ifndef __cplusplus
#define static_assert _Static_assert
#endif
void assert(int condition);
