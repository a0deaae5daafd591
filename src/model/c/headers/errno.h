#pragma once
#define EBUSY 16
#define EINTR 4
#define EAGAIN 11
