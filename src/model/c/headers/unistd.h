#pragma once
unsigned sleep(unsigned seconds);
int usleep(unsigned microseconds);
